-- makes a database that the migrations up to 0054_sign_in_email have made equal to one of 0054_baseline
drop table listed;
alter table feed_head drop column listed;
update schema_migrations set name = '0054_baseline' where name = '0001_init';
delete from schema_migrations where name < '0054_baseline' or name = '0054_sign_in_email';
