-- most facets have neither team nor person, and each new one had its place in both indexes
drop index facets_team;
drop index facets_person;
create index facets_team on facets (team, kind) where team <> '';
create index facets_person on facets (person, kind) where person <> ''
