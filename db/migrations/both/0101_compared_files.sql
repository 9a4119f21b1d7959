-- what a new file is compared with, however many have its bytes or its title: the last review of the same
-- file, and the newest approved file of its title
create index assets_reviewed_file on assets (sha256, project, reviewed_at, id) where reviewed_at is not null;
create index assets_approved_title on assets (title, project, created_at, id)
  where status in ('approved', 'published')
