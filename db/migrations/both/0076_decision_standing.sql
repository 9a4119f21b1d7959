-- decisions of agents are proposed until a person confirms them
alter table decisions add column standing text not null default 'confirmed';
create index decisions_proposed on decisions (valid_from) where standing = 'proposed' and valid_until is null
