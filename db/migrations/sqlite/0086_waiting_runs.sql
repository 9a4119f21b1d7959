-- since when the agent of a run asks for permission or input
alter table runs add column waiting_since integer;
