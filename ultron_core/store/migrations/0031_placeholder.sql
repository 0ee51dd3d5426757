-- placeholder of this tree alone
SELECT 1;
