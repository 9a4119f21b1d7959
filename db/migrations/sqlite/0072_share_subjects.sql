-- a link shows an asset, a variant set, or what waits for review in a project
create table new_shares (
  id text not null primary key,
  hash text not null,
  project text not null,
  asset text,
  root_id text,
  follows text not null,
  rights text not null,
  role text,
  recipient text not null,
  expires_at integer not null,
  passphrase text,
  allow_download integer not null,
  created_by text not null,
  creator text,
  created_at integer not null,
  revoked_at integer,
  revoked_by text,
  reviewer text,
  views integer not null default 0,
  -- whether the link shows the annotations of the team, or only those that came through it
  annotations text not null default 'own',
  subject text not null default 'asset',
  "set" text,
  kind text,
  tag text
) strict;
insert into new_shares (
  id, hash, project, asset, root_id, follows, rights, role, recipient, expires_at, passphrase,
  allow_download, created_by, creator, created_at, revoked_at, revoked_by, reviewer, views,
  annotations
)
select
  id, hash, project, asset, root_id, follows, rights, role, recipient, expires_at, passphrase,
  allow_download, created_by, creator, created_at, revoked_at, revoked_by, reviewer, views,
  annotations
from shares;
drop table shares;
alter table new_shares rename to shares;
create unique index shares_hash on shares (hash);
create index shares_created on shares (created_at, id);
create index shares_project on shares (project, created_at, id);
create index shares_root on shares (root_id, created_at, id);
