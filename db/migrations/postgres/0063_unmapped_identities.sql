-- identities of no person: "" counts those that the project does not keep
create table unmapped_identities (
  project text collate "C" not null,
  identity text collate "C" not null,
  events bigint not null,
  last_at bigint not null,
  primary key (project, identity)
);
