"""What several reports are made of: markup, words, text, style."""
