-- identities of no person: "" counts those that the project does not keep
create table unmapped_identities (
  project text not null,
  identity text not null,
  events integer not null,
  last_at integer not null,
  primary key (project, identity)
) strict, without rowid;
