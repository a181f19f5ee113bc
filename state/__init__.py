"""What is true: messages, history, budgets, documents, counts, stores and formats. Imports nothing but itself."""
