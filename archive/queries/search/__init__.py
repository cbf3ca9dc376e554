"""The search language: text to a tree (`parsing`, `grammar`), to text (`printing`), to SQL (`compiling`)."""
