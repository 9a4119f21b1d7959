-- Stays empty: one process serves a file, and counts the requests of its clients in memory.
create table request_windows (
  client text not null primary key,
  used integer not null,
  ends_at integer not null
) without rowid;
