"""The contributors that turngraph brings."""
