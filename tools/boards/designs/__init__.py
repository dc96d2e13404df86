"""The designs of our own boards, one module per board, and the parts that they share."""
