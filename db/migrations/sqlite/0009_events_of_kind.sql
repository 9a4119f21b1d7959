-- the texts of each kind that is rare, side by side: in the order of time each lies on a page of the file of its own
create index events_of_kind on events (kind, ts, id, wire) where kind <> 'step.usage';
