"""Databases for the tests of the SQL store."""

import pytest

from tests.postgres_server import missing, running


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL server that lives as long as the tests."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    with running() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def url(request, tmp_path):
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/outputs.db"
    from sqlalchemy import create_engine, text

    address = request.getfixturevalue("postgres")
    engine = create_engine(address)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE IF EXISTS turngraph_output_chunks, turngraph_outputs"))
    engine.dispose()
    return address
