"""Package of spiders, by Scrapy's convention."""
