create table settings (
  name text primary key,
  value text not null
);
