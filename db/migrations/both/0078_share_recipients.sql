-- whose name is on what people do with a link: `typed`, or that of the person whom it was made for
alter table shares add column name_source text not null default 'typed';
-- how many links for named people a creator made lately
create index shares_named on shares (created_by, created_at) where name_source <> 'typed'
