"""What is told of the archive to whoever runs it: whether it works, what it does, how it fares."""
