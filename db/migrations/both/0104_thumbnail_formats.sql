-- the format of the thumbnail; null in rows from before, of which it is WebP
alter table assets add column thumb_format text;
