-- What rejected files look like, so that those that come back in another form are found.
create table fingerprints (
  asset text not null primary key,
  project text not null,
  root_id text not null,
  title text not null,
  issue integer,
  pr integer,
  -- a hash of the thumbnail, and hashes of the words; null if there are none
  picture text,
  words text,
  -- null unless its newest review rejected it
  rejected_at integer,
  -- 1 until a background job has read the file
  waiting integer not null
) strict;
create index fingerprints_root on fingerprints (root_id, rejected_at) where rejected_at is not null;
create index fingerprints_title on fingerprints (title, project, rejected_at) where rejected_at is not null;
create index fingerprints_issue on fingerprints (issue, project, rejected_at)
  where issue is not null and rejected_at is not null;
create index fingerprints_pr on fingerprints (pr, project, rejected_at)
  where pr is not null and rejected_at is not null;
create index fingerprints_waiting on fingerprints (asset) where waiting = 1;
insert into fingerprints (asset, project, root_id, title, issue, pr, rejected_at, waiting)
  select id, project, root_id, title, issue, pr, case when status = 'pending' then null else reviewed_at end, 1
  from assets
  where key is not null and (status in ('pending', 'rejected') or (status = 'superseded' and exists (
    select 1 from verdicts
    where verdicts.asset = assets.id and verdicts.decision = 'rejected' and verdicts.at = assets.reviewed_at)));
