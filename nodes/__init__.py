"""What happens: one file per stage, a typed function from a view of the state to an outcome."""
