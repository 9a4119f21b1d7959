-- How often the comparison of an asset failed in a row.
alter table comparisons add column failures integer not null default 0;
