-- who works on a task or on files, until its lease ends or its run does; the lease is in microseconds
create table claims (
  project text not null,
  subject text not null,
  holder text not null,
  run_id text,
  token text not null,
  note text,
  lease integer not null,
  claimed_at integer not null,
  renewed_at integer not null,
  primary key (project, subject)
)
