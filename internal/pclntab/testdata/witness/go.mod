module witness

go 1.20
