-- The exact name of an uploaded file, for its download; the key has a simplified one.
alter table assets add column filename text;
alter table uploads add column filename text;
