"""Scrapy's place for spiders."""

# First of all: the deprecated classes of Scrapy's downloader look through every module that is loaded by then.
import scrapy.core.downloader.contextfactory  # noqa: F401
