module go-checks

go 1.20
