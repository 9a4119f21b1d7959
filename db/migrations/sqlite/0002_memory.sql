create table settings (
  name text not null primary key,
  value text not null
) strict;
