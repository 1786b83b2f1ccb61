"""The types of agreement that the demo writes: where they are filed, who the parties are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgreementType:
    """One type of agreement; its wording is in the bank's file of the same name."""

    name: str
    folder: str
    roles: tuple[tuple[str, str], ...]
    """The names that the two sides may go by."""
    house: str
    """The side, a or b, of the company whose data room this is."""
    shortest: int
    longest: int
    """About how many words."""
    person: bool = False
    """Whether the other side is a natural person."""


AGREEMENTS = (
    AgreementType("nda", "02 Commercial contracts/Confidentiality",
              (("Discloser", "Recipient"), ("First Party", "Second Party")), "a", 1600, 2600),
    AgreementType("services", "02 Commercial contracts/Services",
              (("Provider", "Customer"), ("Contractor", "Client")), "b", 2600, 6500),
    AgreementType("licence", "06 IP and data/Licences",
              (("Licensor", "Licensee"), ("Vendor", "Customer")), "b", 2200, 5000),
    AgreementType("lease", "05 Real estate/Leases",
              (("Landlord", "Tenant"), ("Lessor", "Lessee")), "b", 2400, 5500),
    AgreementType("loan", "04 Financing/Loans",
              (("Lender", "Borrower"),), "b", 2600, 6500),
    AgreementType("shares", "01 Corporate/Acquisitions",
              (("Seller", "Buyer"), ("Vendor", "Purchaser")), "b", 3500, 6600),
    AgreementType("employment", "03 Employment",
              (("Employer", "Employee"), ("Company", "Executive")), "a", 1700, 3200, person=True),
    AgreementType("supply", "02 Commercial contracts/Supply",
              (("Supplier", "Buyer"), ("Manufacturer", "Customer")), "b", 2600, 6500),
    AgreementType("distribution", "02 Commercial contracts/Distribution",
              (("Producer", "Distributor"), ("Principal", "Dealer")), "a", 2400, 5500),
    AgreementType("consulting", "02 Commercial contracts/Consulting",
              (("Consultant", "Client"), ("Adviser", "Company")), "b", 1900, 4200),
    AgreementType("processing", "06 IP and data/Data processing",
              (("Processor", "Controller"),), "b", 1900, 4200),
    AgreementType("settlement", "08 Disputes",
              (("Claimant", "Respondent"), ("Creditor", "Debtor")), "b", 1700, 3400),
)  # fmt: skip
