-- what a removal applies to, as JSON text: the places of a redacted text, or hashes of the names of a person
alter table removals add column detail text;
