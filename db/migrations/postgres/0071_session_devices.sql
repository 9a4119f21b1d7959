-- what people see of their sessions: the device, and the last use
alter table sessions add column device text;
alter table sessions add column used_at bigint;
