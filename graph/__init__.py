"""How it is wired, run and shown: engine, assembly graph, drivers, drawing, command line."""
