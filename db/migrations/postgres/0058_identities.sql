-- people of an identity provider, and the sessions that it opened
create table identities (
  issuer text not null,
  subject text not null,
  actor text not null unique,
  created_at bigint not null,
  primary key (issuer, subject)
);
alter table sessions add column identity text;
alter table sessions add column checked_at bigint;
