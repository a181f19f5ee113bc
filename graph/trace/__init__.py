"""Traces: one private file per model turn, written beside the run and never in its way; read, shown, explained."""
