-- a link shows an asset, a variant set, or what waits for review in a project
alter table shares alter column asset drop not null;
alter table shares alter column root_id drop not null;
alter table shares add column subject text not null default 'asset';
alter table shares add column "set" text;
alter table shares add column kind text;
alter table shares add column tag text;
