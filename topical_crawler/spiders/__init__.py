"""Scrapy's place for spiders."""
