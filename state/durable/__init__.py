"""Durable state: what a run must not forget when its history is folded."""
