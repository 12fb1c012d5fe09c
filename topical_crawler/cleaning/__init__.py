"""Cleaning of an extracted text, or the reason for rejecting it."""
