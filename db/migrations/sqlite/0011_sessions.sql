-- browsers that are signed in, by the hash of what their cookie holds
create table sessions (
  hash text not null primary key,
  actor text not null,
  token text,
  opened_at integer not null,
  expires_at integer not null
) strict;
--> statement-breakpoint
create index sessions_expires on sessions (expires_at);
