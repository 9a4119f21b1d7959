-- usage of no person and no team is what the others leave of the table `usage`
delete from person_usage where person = '' and team = '';
