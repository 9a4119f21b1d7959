-- people of an identity provider, and the sessions that it opened
create table identities (
  issuer text not null,
  subject text not null,
  actor text not null unique,
  created_at integer not null,
  primary key (issuer, subject)
) strict;
alter table sessions add column identity text;
alter table sessions add column checked_at integer;
