-- words by who may read the texts that have them: the callers of a project, or, by '', every caller
create table project_words (
  project text collate "C" not null,
  form text collate "C" not null,
  primary key (project, form)
);
--> statement-breakpoint
-- the indexes of recall name no audience yet: the program rebuilds them before it serves
insert into settings (name, value) select 'recall_index', 'outdated'
  where exists (select 1 from feed_head where id > 0) or exists (select 1 from decisions) or exists (select 1 from preferences)
    or exists (select 1 from notes) or exists (select 1 from guidance);
