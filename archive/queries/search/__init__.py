"""The search language: text to a tree (`grammar`), back to text (`printing`), and to SQL (`compiling`)."""
