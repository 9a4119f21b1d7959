-- the files of a bundle as its reviewed zip contains them, and an index that finds the bundle of a file by its hash
create table bundle_files (
  asset text not null,
  path text not null,
  size integer not null,
  sha256 text not null,
  primary key (asset, path)
)
--> statement-breakpoint
create index bundle_files_sha256 on bundle_files (sha256)
