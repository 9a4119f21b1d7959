-- share links, by the hash of their secret; rows of revoked and expired ones stay
create table shares (
  id text not null primary key,
  hash text not null,
  project text not null,
  asset text not null,
  root_id text not null,
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
  views integer not null default 0
) strict;
--> statement-breakpoint
create unique index shares_hash on shares (hash);
--> statement-breakpoint
create index shares_created on shares (created_at, id);
--> statement-breakpoint
create index shares_project on shares (project, created_at, id);
--> statement-breakpoint
create index shares_root on shares (root_id, created_at, id);
--> statement-breakpoint
-- what people did with a link; entries with the same slot are counted in one row
create table share_views (
  share text not null,
  slot text not null,
  at integer not null,
  action text not null,
  count integer not null default 1,
  name text,
  network text not null,
  asset text,
  sha256 text,
  primary key (share, slot)
) strict;
--> statement-breakpoint
create index share_views_listed on share_views (share, at, slot);
--> statement-breakpoint
create index share_views_at on share_views (at);
--> statement-breakpoint
-- passphrases that were tried in the last hour
create table share_attempts (
  id text not null primary key,
  share text not null,
  client text not null,
  at integer not null
) strict;
--> statement-breakpoint
create index share_attempts_share on share_attempts (share, at);
