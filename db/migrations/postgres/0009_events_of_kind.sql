-- the pair of an index of SQLite: Postgres has all of a page of a kind in its memory within half again as long as it is
select 1;
