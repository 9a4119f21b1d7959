-- length: the size announced by a resumable upload; token: who reserved it, for the limit of open uploads
alter table uploads add column length integer;
--> statement-breakpoint
alter table uploads add column token text;
--> statement-breakpoint
-- the received pieces of resumable uploads; the primary key lets one of two writers at an offset win
create table upload_segments (
  upload_id text not null,
  position integer not null,
  size integer not null,
  name text not null,
  sha256 text not null,
  primary key (upload_id, position)
) strict, without rowid;
