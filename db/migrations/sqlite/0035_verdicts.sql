-- the last verdict of each voter on each version; is_open while the asset is pending
create table verdicts (
  asset text not null,
  voter text not null,
  principal text not null,
  project text not null,
  sha256 text not null,
  reviewer text not null,
  role text,
  decision text not null,
  note text,
  checklist text,
  at integer not null,
  is_open integer not null,
  primary key (asset, voter)
) strict;
--> statement-breakpoint
create index verdicts_open on verdicts (voter, asset) where is_open;
--> statement-breakpoint
-- who has to approve the assets of a project and kind
create table review_policies (
  project text not null,
  kind text not null,
  need text not null,
  changed_by text not null,
  changed_at integer not null,
  primary key (project, kind)
) strict;
--> statement-breakpoint
-- every version of each checklist; the last one counts, and without items it was removed
create table checklists (
  project text not null,
  kind text not null,
  version integer not null,
  items text not null,
  changed_by text not null,
  changed_at integer not null,
  primary key (project, kind, version)
) strict;
--> statement-breakpoint
-- the role that the reviews of a token count for
alter table tokens add column review_role text;
--> statement-breakpoint
-- the voter that uploaded a version, whatever name it gave as created_by
alter table assets add column uploader text;
