-- people, and the email addresses and logins that are theirs
create table people (
  id text not null primary key,
  name text,
  team text,
  created_at integer not null,
  -- when the person was removed: nothing new is theirs
  removed_at integer
) strict;
create table person_identities (
  identity text not null primary key,
  person text not null
) strict;
create index person_identities_person on person_identities (person);
-- whose work a token does
alter table tokens add column owner text;
alter table tokens add column team text;
