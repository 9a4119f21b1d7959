-- since when a confirmed decision is ended by an agent alone: its checks apply until a person confirms that
alter table decisions add column held_at integer;
create index decisions_held on decisions (project, id) where held_at is not null
