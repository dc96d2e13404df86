"""What tests of several rooms start from; a test that wants something else says so by name."""
