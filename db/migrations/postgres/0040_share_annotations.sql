-- whether a share link shows the annotations of the team, or only those that came through it
alter table shares add column annotations text not null default 'own';
