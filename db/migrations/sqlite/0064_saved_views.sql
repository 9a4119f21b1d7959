-- the filters of lists that a person gave a name
create table saved_views (
  reader text not null,
  path text not null,
  name text not null,
  query text not null,
  primary key (reader, path, name)
) strict;
