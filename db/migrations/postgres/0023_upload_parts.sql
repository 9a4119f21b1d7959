-- multipart_id: the multipart upload in the bucket, if the file is sent in parts; is_final: the file is at its
-- final key, with this size and sha256
alter table uploads add column multipart_id text;
--> statement-breakpoint
alter table uploads add column is_final boolean not null default false;
